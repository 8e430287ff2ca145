import "./shop";
