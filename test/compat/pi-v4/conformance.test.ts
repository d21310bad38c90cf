import { describe, expect, it } from 'vitest'
import { createSessionRepository } from '../../../src/compat/pi-v4/index.ts'
import { newFolder } from '../../support/folder.ts'
import { createSessionBackendConformance } from '../../vendor/pi-agent-core/session/testing/conformance.js'

/** The suite that pi publishes for backends of its sessions, on LevelDB. */
const cases = createSessionBackendConformance(async () => {
  const repository = await createSessionRepository({ dir: newFolder() })
  return {
    repository,
    [Symbol.asyncDispose]: () => repository.close(),
  }
})

describe("pi's conformance suite", () => {
  it('has 30 cases', () => {
    expect(cases).toHaveLength(30)
  })

  it.each(cases.map((one) => [`${one.group}: ${one.name}`, one] as const))('%s', async (_name, one) => {
    await expect(one.run()).resolves.toBeUndefined()
  })
})
