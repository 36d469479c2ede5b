// The code is spent by this POST, so a preview that only opens the address cannot spend it.
document.getElementById('signin').submit();
