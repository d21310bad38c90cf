import { moveFolder } from '../ops/movefolder.ts'
import { required } from './input.ts'
import { nullable, object, string } from './schema.ts'
import { folder } from './values.ts'
import { listOf, output, verb } from './verb.ts'

export const mv = verb({
  name: 'mv',
  summary: 'record that a project folder moved',
  effect: 'write',
  input: {
    old: required(folder(), 'the former folder of the project'),
    new: required(folder(), 'its present folder'),
  },
  output: listOf(output(object({ session: string, title: nullable(string), before: string, cwd: string }))),
  run: ({ repo }, { old, new: present }) => moveFolder(repo, old, present),
})
