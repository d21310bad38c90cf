import { firstLine } from '../../text/text.ts'
import { cut } from '../../text/width.ts'
import { anyOf, boolean, described, object, oneOf, string } from '../../verbs/schema.ts'
import { defineCommand, output } from '../define.ts'
import { choice, required, several, text } from '../parameters.ts'

const BASH = `# Completion of sess for bash. Put into ~/.bashrc:  eval "$(sess completion bash)"
_sess() {
  local name does word rest=$COMP_LINE quote= words=()
  # bash splits words at : = @ too: those without a blank between them are one.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ $words && $rest != [[:space:]]* ]]; then words[\${#words[@]}-1]+=$word; else words+=("$word"); fi
    rest=\${rest#"\${rest%%[![:space:]]*}"} rest=\${rest#"$word"}
  done
  local last=$((\${#words[@]} - 1))
  local cur=\${words[last]} lead=\${words[last]%"\${words[last]##*[:=@]}"}
  [[ $COMP_WORDBREAKS == *:* ]] || lead=
  case $cur in \\"*|\\'*) quote=1 lead= words[last]=\${cur:1} ;; esac
  COMPREPLY=()
  while IFS=$'\\t' read -r name does; do
    case $name in
      :files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "\${cur#"$lead"}")) ;;
      :folders) compopt -o filenames; COMPREPLY+=($(compgen -d -- "\${cur#"$lead"}")) ;;
      :open) compopt -o nospace ;;
      *)
        name=\${name#"$lead"}
        [[ $quote || ! $name ]] || printf -v name %q "$name"
        COMPREPLY+=("$name") ;;
    esac
  done < <("\${words[0]}" completion words -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _sess sess`

const ZSH = `#compdef sess
# Completion of sess for zsh. Put into ~/.zshrc, after compinit:  eval "$(sess completion zsh)"
_sess() {
  local name does none=1
  local -a names lines open
  while IFS=$'\t' read -r name does; do
    case $name in
      :files) _files && none=0 ;;
      :folders) _files -/ && none=0 ;;
      :open) open=(-S '') ;;
      *) names+=("$name"); lines+=("$name  $does") ;;
    esac
  done < <("\${words[1]}" completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#names} )) && compadd "\${open[@]}" -V sess -l -d lines -a names && none=0
  return none
}
compdef _sess sess`

const FISH = `# Completion of sess for fish. Put into ~/.config/fish/config.fish:  sess completion fish | source
function __sess_words
  set -l words (commandline -opc) (commandline -ct)
  set -l lines
  for line in ($words[1] completion words -- $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case :open
        # Only where there are several does fish add no blank: more can follow.
        set -l name (string split -f1 \\t $lines[1])
        test (count $lines) -eq 1; and string match -qr '[\\w(]$' -- $name
        and set -a lines $name(string match -q '*(' -- $name; and echo '"'; or echo '~')
      case '*'
        set -a lines $line
    end
  end
  printf '%s\\n' $lines
end
complete -c sess -k -f -a '(__sess_words)'`

/** By shell the script that completes sess in it. Each runs `sess completion words` at every tab. */
const SCRIPTS = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
}

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** With this in place of a shell, the words of a line are completed. */
const WORDS = 'words'

/** The width of a description, in columns. */
const WIDTH = 60

/** `sess completion`: prints the completion script of a shell, or the completions of a line. */
export const command = defineCommand({
  effect: 'read',
  arguments: {
    shell: required(choice([...SHELLS, WORDS], 'shell'), 'bash, zsh or fish'),
    word: several(text('word'), `with ${WORDS}: the words after sess; the last one is completed`),
  },
  help: `With ${WORDS}, each line is a word and, after a tab, its description; ':files' or ':folders' where a path can follow,
':open' where more can follow without a blank. The scripts run this at every tab: it completes commands, options, sessions, branches, labels and oids of the store.`,
  examples: [
    ['eval "$(sess completion bash)"', 'for bash; put it into ~/.bashrc'],
    ['eval "$(sess completion zsh)"', 'for zsh; put it into ~/.zshrc'],
    ['sess completion fish | source', 'for fish'],
    ['sess completion words -- log 3b', 'list the completions of a line'],
  ],
  output: output(
    'With words a line for each name. The scripts are text, also with --json.',
    anyOf(
      object({ name: string, does: string }),
      object({ paths: oneOf('files', 'folders') }),
      described('more can follow a name without a blank', object({ open: boolean })),
    ),
  ),
  run: async (call, { shell, word: words }, out, { commands }) => {
    if (shell !== WORDS) {
      await call.io.text(SCRIPTS[shell])
      return
    }
    const { complete } = await import('../complete.ts')
    const { names, paths, open } = await complete(call, commands, words)
    for (const { name, does } of names)
      await out.record(`${name}\t${cut(firstLine(does), WIDTH)}`, { name, does })
    if (paths !== undefined) await out.record(`:${paths}`, { paths })
    if (open && names.length > 0) await out.record(':open', { open })
  },
})
