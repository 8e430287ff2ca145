@node "%~dp0\index.js" %*
