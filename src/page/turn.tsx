import type { ComponentChildren, VNode } from 'preact'
import type { ToolPart, Turn, TurnPart } from '../model/turn.ts'
import { AgentTile } from './agenttile.tsx'
import { Icon } from './icons.tsx'
import type { Look } from './look.ts'
import { Markdown } from './markdown.tsx'
import { SubagentCard, ToolRow } from './toolrow.tsx'
import { agentName, clock, cutTo, dateAndTime, firstLine, modelName, size } from './words.ts'

const SPEAKERS = { user: 'You', system: 'System' } as const

/** One turn of a conversation. */
export function TurnView({ turn, look }: { readonly turn: Turn; readonly look: Look }): VNode {
  const { who, parts, time, model, continues } = turn
  if (who === null)
    return (
      <div class="marks" data-oid={turn.oid}>
        {groupsOf(parts).map((group) => painted(group, look))}
      </div>
    )
  const name = who === 'assistant' ? agentName(look.format) : SPEAKERS[who]
  return (
    <article
      class={`m ${who}${continues ? ' more' : ''}`}
      id={`e-${turn.oid.slice(0, 16)}`}
      data-oid={turn.oid}
    >
      {continues ? (
        <span />
      ) : who === 'user' ? (
        <span class="me" aria-hidden="true">
          <Icon name="user" />
        </span>
      ) : (
        <AgentTile format={who === 'system' ? 'system' : look.format} />
      )}
      <div class="mc">
        {!continues && (
          <div class="hd">
            <b>{name}</b>
            {time !== null && (
              <time dateTime={time} title={look.entry && dateAndTime(time, look.zone)}>
                {clock(time, look.zone)}
              </time>
            )}
            {model !== null && <span>{modelName(model)}</span>}
            {look.entry && (
              <a class="act" href={look.entry(turn.oid)} aria-label="Link to this turn">
                <Icon name="link" />
              </a>
            )}
          </div>
        )}
        {groupsOf(parts).map((group) => painted(group, look))}
      </div>
    </article>
  )
}

/** Calls that follow one another stand in one box; each other part stands alone. */
type Group = OtherPart | readonly ToolPart[]

type OtherPart = Exclude<TurnPart, ToolPart>

function groupsOf(parts: readonly TurnPart[]): Group[] {
  const groups: (OtherPart | ToolPart[])[] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (part.kind !== 'tool') groups.push(part)
    else if (Array.isArray(last) && last.at(-1)?.agents.length === 0) last.push(part)
    else groups.push([part])
  }
  return groups
}

const isTools = (group: Group): group is readonly ToolPart[] => Array.isArray(group)

function painted(group: Group, look: Look): ComponentChildren {
  if (!isTools(group))
    return (
      <>
        <Part part={group} look={look} />
        {look.after?.(group.oid)}
      </>
    )
  const agents = group.flatMap((part) => part.agents)
  return (
    <>
      <div class="tools">
        {group.map((part) => (
          <div data-oid={part.oid}>
            <ToolRow part={part} look={look} />
          </div>
        ))}
      </div>
      {agents.map((agent) => (
        <SubagentCard agent={agent} look={look} />
      ))}
      {[...new Set(group.flatMap((part) => [part.oid, ...(part.result ? [part.result.oid] : [])]))].map(
        (oid) => look.after?.(oid),
      )}
    </>
  )
}

const MAX_FOLD_LINE = 120

function Part({ part, look }: { readonly part: OtherPart; readonly look: Look }): VNode | null {
  const { Fold } = look
  switch (part.kind) {
    case 'text':
      return (
        <div class="body" data-oid={part.oid}>
          <Markdown text={part.text} />
        </div>
      )
    case 'thinking':
    case 'aside':
      return part.text.trim() === '' ? null : (
        <div data-oid={part.oid}>
          <Fold
            class="aside"
            line={
              <>
                <Icon name={part.kind === 'thinking' ? 'bulb' : 'dots'} />
                <span class="nm">{part.kind === 'thinking' ? 'Thought' : 'Added'}</span>
                <span class="ell grow">{cutTo(firstLine(part.text), MAX_FOLD_LINE)}</span>
              </>
            }
            body={() => <div class="said">{part.text}</div>}
          />
        </div>
      )
    case 'image': {
      const source = look.picture?.(part.oid, part.mediaType, part.bytes)
      return source !== undefined ? (
        <p>
          <img class="picture" alt="" src={source} />
        </p>
      ) : (
        <p class="absent" data-oid={part.oid}>
          <Icon name="image" /> image: {part.mediaType}, {size(part.bytes)}
        </p>
      )
    }
    case 'mark':
      return <MarkLine part={part} look={look} />
  }
}

const MARKS = {
  compaction: 'what was said before was summarised',
  summary: 'a branch that was left was summarised',
  edit: 'an earlier message was changed',
  merge: 'another branch was merged',
  rollback: 'turns were taken back',
  setting: '',
} as const

/** The effect of an entry besides its words: a line across the conversation. */
function MarkLine({
  part,
  look: { Fold },
}: {
  readonly part: Extract<TurnPart, { readonly kind: 'mark' }>
  readonly look: Look
}): VNode {
  const { does, text } = part
  if (does === 'setting')
    return (
      <p class="setting" data-oid={part.oid}>
        {firstLine(text)}
      </p>
    )
  return (
    <div data-oid={part.oid}>
      <Fold
        class="cut"
        line={
          <span>
            {MARKS[does]}
            {text.trim() !== '' && <span class="more">show it</span>}
          </span>
        }
        body={() => (text.trim() === '' ? null : <div class="summary">{<Markdown text={text} />}</div>)}
      />
    </div>
  )
}
