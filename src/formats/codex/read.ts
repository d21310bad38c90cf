import { asString, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Usage } from '../../model/view.ts'
import type { Facts, ParsedEntry, Reader, Reading, RecordIndex } from '../format.ts'
import type { Unit } from '../unit.ts'
import { Agents } from './agents.ts'
import { compactedBody, itemBody, opened, settingBody, speaks } from './body.ts'
import { Chain } from './chain.ts'
import { Header } from './header.ts'
import { isBareItem, kindOf, partOf } from './item.ts'
import { timeOf } from './time.ts'
import { totalIn } from './usage.ts'

/** Starts reading a rollout. */
export function reader(name: string): Reader {
  const chain = new Chain()
  const header = new Header(name)
  const agents = new Agents()
  let next: RecordIndex = 0
  let usage: Usage | undefined

  function read(unit: Unit): Reading {
    const handle = next++
    const line = unit.value
    if (!isObject(line)) return {}
    const time = timeOf(line.timestamp ?? line.created_at)
    const when = { time }
    header.take(line, time)
    const payload = line.payload
    if (payload === undefined) {
      return isBareItem(line) && speaks(line) ? item(handle, time, line, itemBody(line)) : when
    }
    const inside = opened(payload)
    if (inside === undefined) return when
    switch (asString(line.type)) {
      case 'response_item':
      case 'inter_agent_communication':
        if (!speaks(inside)) return when
        return item(handle, time, inside, { type: line.type as Json, payload: itemBody(payload) }, line)
      case 'compacted': {
        const body = { type: 'compacted', payload: compactedBody(payload) }
        return { time, entry: said('compacted', body, chain.extend(handle, 'other')) }
      }
      case 'turn_context':
        return { time, entry: setting(handle, inside) }
      case 'event_msg':
        if (inside.type === 'thread_rolled_back') rollBack(inside.num_turns)
        usage = totalIn(inside) ?? usage
        agents.tell(inside)
        return when
      default:
        return when
    }
  }

  function item(
    handle: RecordIndex,
    time: number | undefined,
    inside: JsonObject,
    body: Json,
    line?: JsonObject,
  ): Reading {
    const kind = line?.type === 'inter_agent_communication' ? 'inter_agent_communication' : kindOf(inside)
    const native = asString(inside.id)
    agents.add(inside, handle)
    const entry = said(kind, body, chain.extend(handle, partOf(inside)))
    return { entry, time, native }
  }

  function setting(handle: RecordIndex, payload: JsonObject): ParsedEntry | undefined {
    const set = settingBody(payload)
    const [model, effort] = [asString(set.model), asString(set.effort)]
    const key = JSON.stringify([model, effort])
    if (model === undefined || key === chain.setting) return undefined
    const parent = chain.extend(handle, 'update', key)
    return said('turn_context', { type: 'turn_context', payload: set }, parent)
  }

  function rollBack(turns: Json | undefined): void {
    if (typeof turns === 'number') chain.rollBack(Math.floor(turns))
  }

  function facts(): Facts {
    return {
      ...header.facts(),
      ...(agents.found.size > 0 && { subagents: agents.found }),
      ...(usage && { usage }),
    }
  }

  return { read, active: () => chain.tip, facts }
}

const said = (kind: string, body: Json, parent: RecordIndex | null): ParsedEntry => ({
  type: `codex/${kind}`,
  body,
  parent,
})
