import "./zones";
