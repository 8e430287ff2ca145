import { playAlarms } from "./alarm-stories";

playAlarms("GitHub", process.env["LONG_STORIES"] === "1");
