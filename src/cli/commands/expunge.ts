import { SessError } from '../../model/errors.ts'
import { expunge } from '../../ops/expunge.ts'
import { loadSecretList } from '../../sources/secretlint.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { several } from '../options.ts'
import { counted } from '../render/text.ts'
import { secretFrom } from '../secretfrom.ts'

interface Options {
  readonly secret?: string[]
  readonly why?: string
  readonly force?: boolean
}

/** `sess expunge`: removes something for good. */
export const define: Define = (command, act) => {
  command
    .argument('[entry...]', 'entries whose whole body is removed')
    .option(
      '--secret <digits>',
      "a secret, by the 8 digits that 'sess scan' prints; - reads it from standard input",
      several,
    )
    .option('--why <reason>', 'the reason to record in the placeholder')
    .option('--force', 'remove it even if remaining digests allow guessing it')
    .addHelpText(
      'after',
      `
The content is removed from entries, records, names, operations, indexes and the journal, and from the disk: the
database is rewritten. Oids do not change; a placeholder marks each place. Files that sessions were imported from are
not changed, and importing them again does not bring the content back. This cannot be undone.`,
    )
    .action(
      act(async (call, entries: string[], { secret = [], why = '', force = false }: Options) => {
        const { io, world } = call
        if (entries.length === 0 && secret.length === 0)
          throw new SessError('bad-usage', 'nothing is named that is to be expunged', {
            hint: "name entries, or secrets with --secret: 'sess scan' finds them",
          })
        const typed = secret.includes('-') ? await secretFrom(world) : ''
        if (secret.includes('-') && typed === '')
          throw new SessError('bad-usage', 'there is no secret on standard input', {
            hint: "type 'sess expunge --secret - < FILE', FILE holding it and nothing else",
          })
        const done = await expunge(await call.repo(), {
          entries,
          secrets: typed === '' ? [] : [typed],
          marks: secret.filter((digits) => digits !== '-'),
          find: await loadSecretList(),
          why,
          force,
        })
        if (io.json) {
          await io.data(done)
          return
        }
        const of = `${counted(done.entries.length, 'entry', 'entries')} and ${counted(done.records, 'record')}`
        await io.print(
          done.secrets.length > 0
            ? `Expunged ${counted(done.secrets.length, 'secret')} (${done.secrets.join(', ')}) from ${of}`
            : `Expunged what ${of} said`,
        )
        await io.note('it cannot be undone; files that were imported or exported, and backups, hold it still')
        if (done.aside.length > 0)
          await io.note(
            `what was set aside as broken ${call.dryRun ? 'would go' : 'went'} with it: ${done.aside.join(', ')}`,
          )
        if (done.left.length > 0)
          await io.note(
            `other processes still read copies that hold it, which go when they end: ${done.left.join(', ')}`,
          )
      }),
    )
  examples(command, [
    ['sess expunge --secret 7f8dfb7e', 'a secret that sess scan found, everywhere'],
    ['sess expunge --secret - < secret.txt', 'a secret that no rule knows'],
    ["sess expunge 65c1f191 --why 'told by mistake'", 'the body of an entry'],
  ])
}
