// How external packages are reached.
var __omcbuild_external = require;
