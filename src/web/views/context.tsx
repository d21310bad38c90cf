import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Legend, Meter } from '../../page/chart.tsx'
import { Code } from '../../page/code.tsx'
import { Icon } from '../../page/icons.tsx'
import { Markdown } from '../../page/markdown.tsx'
import { Output } from '../../page/toolrow.tsx'
import { counted, cutTo, firstLine, grouped, modelName, short } from '../../page/words.ts'
import type { ContextMessage, NeutralContext } from '../../verbs/types.ts'
import { addressOf } from '../api.ts'
import { useApi, usePageScroll, useTitle } from '../hooks.ts'
import { Fold, Loading, Problem, Section } from '../parts.tsx'
import { go, href } from '../router.ts'
import { View } from '../shell.tsx'
import { kindOf, lengthOf, sharesOf } from './shares.ts'

const BUDGETS = ['', '8000', '32000', '100000', '200000'] as const
const PAGE = 120

/** The context that the model has at a point, with the tokens of each message and what was left out. */
export function ContextView({ query }: { readonly query: URLSearchParams }): VNode {
  const revision = query.get('r') ?? ''
  const budget = query.get('budget') ?? ''
  const [shown, show] = useState(PAGE)
  const { data, error, reload } = useApi<NeutralContext>(
    addressOf(`/sessions/${encodeURIComponent(revision)}/context`, {
      ...{ revision, budget: budget === '' ? undefined : budget },
    }),
  )
  useTitle('Context')
  usePageScroll(revision, data !== undefined)
  const bar = {
    crumbs: [
      {
        text: 'Session',
        href: href(['s', revision.split('/')[0] ?? ''], { e: isOid(revision) ? revision : null }),
      },
      { text: 'Context' },
    ],
  }
  if (!data)
    return (
      <View name="page narrow" bar={bar}>
        <h1 class="vh">Context</h1>
        {error ? <Problem error={error} retry={reload} /> : <Loading rows={10} />}
      </View>
    )
  const shares = sharesOf(data.messages, data.tokens)
  const chars = data.messages.reduce((sum, message) => sum + lengthOf(message), 0)
  return (
    <View name="page narrow" bar={bar}>
      <h1 class="vh">Context</h1>
      <div class="card fig lone">
        <div class="row">
          <div>
            <div class="big">{grouped(data.tokens)} tokens</div>
            <div class="cap">
              estimated, in {counted(data.messages.length, 'message')}
              {data.model && `, for ${modelName(data.model.id)}`}
              {data.thinking && `, thinking ${data.thinking}`}
            </div>
          </div>
          <label class="f pick">
            <span>budget</span>
            <select
              value={budget}
              onChange={(event) =>
                go(href(['context'], { r: revision, budget: event.currentTarget.value }), { replace: true })
              }
            >
              {BUDGETS.map((one) => (
                <option value={one}>{one === '' ? 'none' : short(Number(one))}</option>
              ))}
            </select>
            <Icon name="down" />
          </label>
        </div>
        <Meter
          parts={shares.map(({ tokens, hue }) => ({ value: tokens, hue }))}
          total={Math.max(data.tokens, Number(budget))}
          label={shares.map(({ name, tokens }) => `${name} ${grouped(tokens)}`).join(', ')}
        />
        <Legend
          names={shares.map(({ name, tokens }) => `${name} ${short(tokens)}`)}
          hues={shares.map(({ hue }) => hue)}
        />
      </div>
      {data.left.length > 0 && <LeftOut left={data.left} />}
      {data.repairs.length > 0 && (
        <p class="note">
          {counted(data.repairs.length, 'change')} so that an API accepts it:{' '}
          {[...new Set(data.repairs.map(({ kind }) => kind.replaceAll('-', ' ')))].join(', ')}
        </p>
      )}
      <Section title="Messages">
        <div class="card rows">
          {data.messages.slice(0, shown).map((message) => (
            <MessageRow
              message={message}
              tokens={Math.round((data.tokens * lengthOf(message)) / Math.max(1, chars))}
              total={data.tokens}
            />
          ))}
        </div>
        {data.messages.length > shown && (
          <button class="common" onClick={() => show(shown + PAGE)}>
            {counted(data.messages.length - shown, 'more message')}
          </button>
        )}
      </Section>
    </View>
  )
}

const isOid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

function LeftOut({ left }: { readonly left: NeutralContext['left'] }): VNode {
  const tokens = left.reduce((sum, one) => sum + one.tokens, 0)
  return (
    <Section title="Left out to fit the budget" note={`${grouped(tokens)} tokens`}>
      <ul class="chips">
        {left.slice(0, 60).map(({ kind, oid, tokens: saved }) => (
          <li>
            <a class="chip" href={href(['s', oid], { e: oid, b: oid })}>
              {kind} {oid.slice(0, 6)} · {short(saved)}
            </a>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const HUES = { system: 'f4', summary: 'f3', you: 'f1', agent: 'g3', tools: 'f2' } as const

function MessageRow({
  message,
  tokens,
  total,
}: {
  readonly message: ContextMessage
  readonly tokens: number
  readonly total: number
}): VNode {
  const kind = kindOf(message)
  const { blocks, part } = message
  const text = blocks
    .map((block) => ('text' in block ? block.text : block.kind === 'toolCall' ? block.name : 'image'))
    .join(' ')
  return (
    <Fold
      class="ctx"
      line={
        <>
          <svg class="dot" viewBox="0 0 9 9" aria-hidden="true">
            <rect class={HUES[kind]} width="9" height="9" rx="2" />
          </svg>
          <span class="nm">{part === 'message' ? kind : part.replaceAll('-', ' ')}</span>
          <span class="ell grow">{cutTo(firstLine(text), 160)}</span>
          <svg class="bar-s" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect
              class={HUES[kind]}
              width={Math.max(0.5, (100 * tokens) / Math.max(1, total)).toFixed(1)}
              height="6"
            />
          </svg>
          <span class="num faint">{short(tokens)}</span>
        </>
      }
      body={() => (
        <div class="ctx-in">
          {blocks.map((block) => {
            switch (block.kind) {
              case 'text':
                return <Markdown text={block.text} />
              case 'thinking':
                return <div class="said faint">{block.text}</div>
              case 'toolCall':
                return (
                  <>
                    <p class="faint">calls {block.name}</p>
                    <Code text={JSON.stringify(block.input, null, 2)} language="json" />
                  </>
                )
              case 'toolResult':
                return <Output text={block.text} bad={block.error} />
              case 'image':
                return <p class="absent">{block.mediaType}</p>
            }
          })}
          <a class="link" href={href(['s', message.oid], { e: message.oid, b: message.oid })}>
            open the entry
          </a>
        </div>
      )}
    />
  )
}
