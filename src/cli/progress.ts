import { counted, grouped, sized } from '../text/text.ts'
import { cut } from '../text/width.ts'
import type { Amounts, Progress } from '../verbs/progress.ts'
import type { Invocation } from './invocation.ts'

/** The times before progress is shown, and before the remaining time is estimated; in milliseconds. */
const SHOWN_AFTER = 500
const ESTIMATED_AFTER = 2000

/** How far work is: what it does, and which part of it is done, from 0 to 1, where that is known. */
export interface ProgressStep {
  readonly text: string
  readonly part?: number
}

/** Shows on stderr how far long work has come, if stderr is a terminal and the user has not turned that off. */
class ProgressLine {
  readonly #call: Invocation
  readonly #stop: () => void
  #shown = false

  constructor(call: Invocation, step: () => ProgressStep) {
    this.#call = call
    const { every, env } = call.platform
    const begun = env.now()
    const tick = (): void => {
      const taken = env.now() - begun
      // Looked at only now: Node takes 0.6 ms to make the stream.
      if (taken < SHOWN_AFTER || !call.platform.stderr.isTTY) return
      this.#shown = true
      void call.io.status(cut(progressText(step(), taken), call.io.columns - 1))
    }
    this.#stop = call.config.value('progress') === 'off' ? () => undefined : every(200, tick)
  }

  /** Takes the line away, because another is coming. */
  clear(): void {
    if (this.#shown) void this.#call.io.status('')
    this.#shown = false
  }

  /** Shows nothing from now on. */
  end(): void {
    this.#stop()
    this.clear()
  }
}

/** Runs some work with a line of progress, which the work can take away where it prints. */
export async function during<T>(
  call: Invocation,
  step: () => ProgressStep,
  work: (progress: Pick<ProgressLine, 'clear'>) => Promise<T>,
): Promise<T> {
  const progress = new ProgressLine(call, step)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** Runs a verb with a line of progress, which says how it begins until the verb reports more. */
export function performed<T>(
  call: Invocation,
  begin: Progress,
  work: (progress: Pick<ProgressLine, 'clear'>) => Promise<T>,
): Promise<T> {
  call.progress = begin
  return during(call, () => stepOf(call.progress ?? begin), work)
}

/** How the writing of files begins. */
export const WRITING: Progress = { step: 'writing', done: { bytes: 0 } }

/** Returns how far a verb is, in words. */
function stepOf({ step, done, of }: Progress): ProgressStep {
  const parts = Object.entries(done).map(([what, amount]) => {
    if (what === 'bytes') return sized(amount)
    const all = of?.[what as keyof typeof of]
    const noun = NOUNS[what as keyof typeof NOUNS]
    return all === undefined ? counted(amount, noun) : `${grouped(amount)} of ${counted(all, noun)}`
  })
  const text = `${step}: ${parts.join(', ')}`
  const [what, all] = Object.entries(of ?? {}).find(([, amount]) => amount !== undefined) ?? []
  if (what === undefined || all === undefined) return { text }
  return { text, part: Math.min(1, (done[what as keyof Amounts] ?? 0) / Math.max(1, all)) }
}

const NOUNS = {
  entries: 'entry',
  sessions: 'session',
  records: 'record',
  places: 'place',
  files: 'file',
} as const

function progressText({ text, part }: ProgressStep, taken: number): string {
  if (part === undefined) return `${text}, ${seconds(taken)}`
  const percent = `${text}, ${Math.floor(100 * part)} %`
  return taken < ESTIMATED_AFTER || part === 0
    ? percent
    : `${percent}, ${seconds((taken / part) * (1 - part))} left`
}

const seconds = (milliseconds: number): string => {
  const whole = Math.round(milliseconds / 1000)
  return whole < 100 ? `${whole} s` : `${Math.round(whole / 60)} min`
}
