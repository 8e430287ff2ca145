import { playAlarms } from "./alarm-stories";

playAlarms("GitLab", true);
