import { tokensOf } from '../../model/weight.ts'
import type { Said } from './turns.ts'

/** Gives how many tokens what is said takes, answers left out, as entries are weighed. */
export const tokensIn = (said: readonly Said[]): number => tokensOf({ role: null, blocks: said })

/** Gives how many tokens the answers take to what is called. */
export const answerTokens = (said: readonly Said[]): number =>
  tokensOf({
    role: null,
    blocks: said.flatMap((one) =>
      one.kind === 'toolCall' ? [{ kind: 'text', text: one.answer.text } as const, ...one.answer.images] : [],
    ),
  })
