import { short } from '../../model/encoding/oid.ts'
import { comparisonLines } from '../../text/compare.ts'
import { counted, did, firstLine, type Line, styled } from '../../text/text.ts'
import { swarm } from '../../verbs/swarm.ts'
import { swarmAdd } from '../../verbs/swarm-add.ts'
import { swarmBranch } from '../../verbs/swarm-branch.ts'
import { swarmCompare } from '../../verbs/swarm-compare.ts'
import { swarmNew } from '../../verbs/swarm-new.ts'
import { swarmRemove } from '../../verbs/swarm-remove.ts'
import { swarmSwitch } from '../../verbs/swarm-switch.ts'
import { swarms } from '../../verbs/swarms.ts'
import type { Swarm, SwarmBranch } from '../../verbs/types.ts'
import { defineFamily } from '../define.ts'
import { present } from '../present.ts'

const heading = ({ name, task, branches }: Swarm): Line => [
  styled('bold', firstLine(name)),
  `  ${counted(branches.length, 'branch')}${task === null ? '' : `: ${firstLine(task)}`}`,
]

const branchLine = ({ name, session, branch, about, oid, entries, current }: SwarmBranch): Line => [
  current ? styled('green', '* ') : '  ',
  firstLine(name),
  styled('yellow', `  ${oid === null ? 'no entry' : short(oid)}`),
  `  ${counted(entries, 'entry')}`,
  styled('dim', `  ${firstLine(branch === null ? session : `${session}/${branch}`)}`),
  ...(about === null ? [] : [`  ${firstLine(about)}`]),
]

const linesOf = (one: Swarm): Line[] => [heading(one), ...one.branches.map(branchLine)]

const newCommand = {
  name: 'new',
  summary: swarmNew.summary,
  ...present(swarmNew, {
    arguments: ['swarm', 'task'],
    examples: [
      ["sess swarm new faster 'Make the queries faster'", 'begin with a task, in a session of its own'],
      ['sess swarm new ebb --session 3b1f', 'make its branches in a session that there is'],
    ],
    show: (made, call) => ({
      render: () => [[`${did(call, 'Created')} swarm ${firstLine(made.name)} in session ${made.session}`]],
    }),
  }),
}

const listCommand = {
  name: 'list',
  summary: swarms.summary,
  ...present(swarms, {
    examples: [
      ['sess swarm list', 'all swarms with their branches'],
      ['sess swarm list --json', 'the same for a program, a line each'],
    ],
    is: 'A line for each swarm.',
    show: (found) => ({ render: () => found.flatMap(linesOf) }),
  }),
}

const showCommand = {
  name: 'show',
  summary: swarm.summary,
  ...present(swarm, {
    arguments: ['swarm'],
    examples: [
      ['sess swarm show tides', 'its branches, with their tips'],
      ['sess swarm show tides --json', 'the same for a program'],
    ],
    show: (found) => ({ render: () => linesOf(found) }),
  }),
}

const branchCommand = {
  name: 'branch',
  summary: swarmBranch.summary,
  ...present(swarmBranch, {
    arguments: ['swarm', 'name', 'about'],
    examples: [
      ["sess swarm branch tides by-moon 'Compute it from the moon'", 'begin where its session is'],
      ['sess swarm branch tides by-heart --start 3b1f~2', 'begin at another entry'],
    ],
    show: (made, call) => ({
      render: () => [[`${did(call, 'Created')} branch `, ...branchLine(made).slice(1)]],
    }),
  }),
}

const addCommand = {
  name: 'add',
  summary: swarmAdd.summary,
  ...present(swarmAdd, {
    arguments: ['swarm', 'name', 'of'],
    examples: [
      ['sess swarm add tides other c7d0', 'the session of another agent'],
      ['sess swarm add tides third c7d0/main', 'a branch of it'],
    ],
    show: (made, call) => ({ render: () => [[`${did(call, 'Added')} `, ...branchLine(made).slice(1)]] }),
  }),
}

const switchCommand = {
  name: 'switch',
  summary: swarmSwitch.summary,
  ...present(swarmSwitch, {
    arguments: ['swarm', 'name'],
    examples: [
      ['sess swarm switch tides by-moon', 'go on there'],
      ['sess swarm switch tides main', 'go back'],
    ],
    show: (now, call) => ({ render: () => [[`${did(call, 'Switched')} to `, ...branchLine(now).slice(1)]] }),
  }),
}

const compareCommand = {
  name: 'compare',
  summary: swarmCompare.summary,
  ...present(swarmCompare, {
    arguments: ['swarm', 'name'],
    examples: [
      ['sess swarm compare tides', 'all of its branches, by cost'],
      ['sess swarm compare tides by-moon by-table --metric tokens', 'two of them, by tokens'],
    ],
    show: (found, { display }) => ({ render: () => comparisonLines(found, display) }),
  }),
}

const removeCommand = {
  name: 'remove',
  summary: swarmRemove.summary,
  ...present(swarmRemove, {
    arguments: ['swarm', 'name'],
    examples: [
      ['sess swarm remove tides other', 'a member'],
      ['sess swarm remove tides', 'the whole swarm'],
    ],
    show: ({ name }, call, { name: member }) => ({
      render: () => [
        [
          `${did(call, 'Removed')} ${member === undefined ? '' : `${firstLine(member)} of `}swarm ${firstLine(name)}`,
        ],
      ],
      back: 'sess undo',
    }),
  }),
}

/** `sess swarm`: groups of branches on which several agents work at one task. */
export const command = defineFamily({
  help: `A swarm is a named group of branches and sessions. Agents append to their branches, from any process; 'sess swarm compare'
says which one did best, and 'sess merge' brings its entries back.`,
  examples: [
    ["sess swarm new faster 'Make the queries faster'", 'start a swarm'],
    ["sess swarm branch tides by-moon 'Compute it from the moon'", 'a branch for an agent'],
    ['sess swarm compare tides', 'compare what came of them'],
  ],
  commands: [
    newCommand,
    listCommand,
    showCommand,
    branchCommand,
    addCommand,
    switchCommand,
    compareCommand,
    removeCommand,
  ],
})
