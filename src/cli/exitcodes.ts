import type { ErrorKind } from '../model/errors.ts'
import type { Signal } from './platform.ts'

/** The exit code of each kind of error. Codes are API. */
export const EXIT: Readonly<Record<ErrorKind, number>> = {
  user: 1,
  usage: 2,
  conflict: 3,
  busy: 4,
  corrupt: 5,
  bug: 70,
  stopped: 130,
}

/** The exit code of a process that a signal ended. */
export const EXIT_OF_SIGNAL: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 }

/** Explanations of the exit codes, for help. */
export const EXIT_MEANINGS: Readonly<Record<ErrorKind, string>> = {
  user: 'an error in your data or names: an unknown name, a bad line, a missing path',
  usage: 'wrong usage: an unknown command, option or argument',
  conflict: 'something changed meanwhile: check it, then repeat the command',
  busy: 'the store is in use: repeat the command, or wait longer with --lock-timeout',
  corrupt: "the store is damaged: type 'sess fsck' to see the damage",
  bug: 'an internal error of sess: report it with the command that you typed',
  stopped: 'stopped by Ctrl-C; 143 if another process ended it',
}
