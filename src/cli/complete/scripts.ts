/** A shell whose completion sess knows. */
export type Shell = 'bash' | 'zsh' | 'fish'

const BASH = `# Completion of sess for bash. Put into ~/.bashrc:  eval "$(sess completion bash)"
_sess() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]:0:COMP_CWORD+1}") cword=$COMP_CWORD
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n ':=@' cur words cword
    words=("\${words[@]:0:cword+1}")
  fi
  local name does lead=\${cur%"\${cur##*[:=@]}"}
  [[ $COMP_WORDBREAKS == *:* ]] || lead=
  COMPREPLY=()
  while IFS=$'\t' read -r name does; do
    case $name in
      :files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$cur")) ;;
      :folders) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$cur")) ;;
      *) COMPREPLY+=("$(printf %q "\${name#"$lead"}")") ;;
    esac
  done < <("\${words[0]}" completion words -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _sess sess`

const ZSH = `#compdef sess
# Completion of sess for zsh. Put into ~/.zshrc, behind compinit:  eval "$(sess completion zsh)"
_sess() {
  local name does none=1
  local -a names lines
  while IFS=$'\t' read -r name does; do
    case $name in
      :files) _files && none=0 ;;
      :folders) _files -/ && none=0 ;;
      *) names+=("$name"); lines+=("$name  $does") ;;
    esac
  done < <("\${words[1]}" completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#names} )) && compadd -l -d lines -a names && none=0
  return none
}
compdef _sess sess`

const FISH = `# Completion of sess for fish. Put into ~/.config/fish/config.fish:  sess completion fish | source
function __sess_words
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] completion words -- $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c sess -f -a '(__sess_words)'`

/** By shell the script that completes sess in it. Each asks `sess completion words` at every tab. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
