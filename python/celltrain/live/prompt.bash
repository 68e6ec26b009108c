# Start-up of bash at an end of a line: the user's own, and then the end in the prompt.
[ -r /etc/bash.bashrc ] && . /etc/bash.bashrc
[ -r ~/.bashrc ] && . ~/.bashrc
PS1="[$CELLTRAIN_END] $PS1"
