// Before anything is drawn: what only works with scripts may now be shown.
document.documentElement.classList.add('js');
