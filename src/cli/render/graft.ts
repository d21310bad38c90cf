import { short } from '../../model/oid.ts'
import type { Grafting } from '../../ops/graft.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { counted, firstLine } from './text.ts'

/** Why an entry with a missing parent was not attached. */
const WHY: Readonly<Record<Exclude<Grafting['outcome'], 'joined' | 'missing'>, string>> = {
  ambiguous: 'several sessions have it',
  shared: 'another session begins with the same entry, and not there',
  circle: 'that continues the entry itself',
}

/** Returns the outcome for entries with missing parents; those whose parent no session has are only counted. */
export function graftLines(grafts: readonly Grafting[]): Line[] {
  const missing = grafts.filter(({ outcome }) => outcome === 'missing').length
  return [
    ...grafts.flatMap((grafting): Line[] => graftLine(grafting)),
    ...(missing > 0
      ? [[styled('yellow', `${counted(missing, 'entry', 'entries')} whose parent no session looked at has`)]]
      : []),
  ]
}

function graftLine({ session, root, native, outcome, parent, holder }: Grafting): Line[] {
  if (outcome === 'missing') return []
  const entry: Line = [styled('yellow', short(root)), ` of session ${firstLine(session)} `]
  if (outcome === 'joined') {
    const held = ` of session ${firstLine(holder ?? '')}`
    return [[...entry, 'goes on with ', styled('yellow', parent === null ? '' : short(parent)), held]]
  }
  return [[...entry, styled('yellow', `lacks its parent '${firstLine(native)}': ${WHY[outcome]}`)]]
}
