import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import { expunge as expungeContent } from '../ops/secrets/expunge.ts'
import { findSecretsIn } from './findsecrets.ts'
import { flag, optional, several } from './input.ts'
import { arrayOf, described, integer, object, string } from './schema.ts'
import { revision, text } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const expunge = verb({
  name: 'expunge',
  summary: 'remove content from the store permanently',
  effect: 'destructive',
  input: {
    entry: several(revision('entry'), 'entries whose whole body is removed'),
    mark: several(text('digits'), 'secrets by the 8 digits that scan prints'),
    secret: several(text('secret'), 'secrets that no rule recognises'),
    why: optional(text('reason'), 'the reason to record in the placeholder'),
    force: flag('remove it even if remaining digests allow guessing it'),
  },
  output: output(
    object({
      entries: described('whose content was removed', arrayOf(oidSchema)),
      records: integer,
      secrets: described('by the 8 digits that scan prints', arrayOf(string)),
      left: described('copies that other processes still read', arrayOf(string)),
      aside: described('quarantined files of fsck --repair that were removed', arrayOf(string)),
    }),
  ),
  run: async (context, { entry: entries, mark: marks, secret: secrets, why, force }) => {
    if (entries.length + marks.length + secrets.length === 0)
      throw new SessError('bad-usage', 'nothing to expunge was named')
    const { repo, onProgress } = context
    const find = marks.length > 0 ? await findSecretsIn(context) : undefined
    return expungeContent(repo, {
      ...{ entries, marks, secrets, force, ...defined({ find, why }) },
      onProgress: (step, amount, all) => {
        const [done, of] =
          step === 'packing' ? [{ bytes: amount }, { bytes: all }] : [{ entries: amount }, { entries: all }]
        onProgress?.({ step, done, of })
      },
    })
  },
})
