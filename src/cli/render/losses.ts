import { LOSSES, type Loss, type LossCode } from '../../formats/losses.ts'
import type { Json } from '../../model/json.ts'
import { short } from '../../model/oid.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { grouped } from './text.ts'

/** Losses of one kind. */
interface Group {
  readonly code: LossCode
  readonly losses: Loss[]
}

/** Gathers losses by their kind, in the order in which kinds first occur. */
export class Losses {
  readonly #groups = new Map<LossCode, Group>()

  add(loss: Loss): void {
    const group = this.#groups.get(loss.code)
    if (group) group.losses.push(loss)
    else this.#groups.set(loss.code, { code: loss.code, losses: [loss] })
  }

  /** Whether there is none. */
  get none(): boolean {
    return this.#groups.size === 0
  }

  /** Returns a line for each kind: how often, its meaning, and its first place. */
  lines(): Line[] {
    return [...this.#groups.values()].map(({ code, losses }) => [
      styled('yellow', 'not written:'),
      ` ${code} (${grouped(losses.length)})  ${LOSSES[code]}${examplesOf(losses)}`,
    ])
  }

  /** Returns the kinds as data, each with its entries and names. */
  data(): Json {
    return [...this.#groups.values()].map(({ code, losses }) => ({
      code,
      message: LOSSES[code],
      count: losses.length,
      entries: losses.flatMap(({ oid }) => oid ?? []),
      subjects: losses.flatMap(({ subject }) => subject ?? []),
    }))
  }
}

/** How many names and entries a line tells. */
const SHOWN = 3

function examplesOf(losses: readonly Loss[]): string {
  const named = losses.flatMap(({ oid, subject }) => subject ?? (oid ? short(oid) : []))
  const more = named.length > SHOWN ? ', …' : ''
  return named.length === 0 ? '' : `: ${named.slice(0, SHOWN).join(', ')}${more}`
}
