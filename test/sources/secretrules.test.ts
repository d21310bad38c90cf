import { beforeAll, describe, expect, it } from 'vitest'
import type { FindSecrets } from '../../src/model/secrets/secret.ts'
import { loadSecretList } from '../../src/sources/secretrules.ts'
import { ANTHROPIC, AWS, ED25519, GITHUB, PEM, SHOPIFY } from '../support/secrets.ts'

let find: FindSecrets
beforeAll(async () => {
  find = await loadSecretList()
})

const found = (text: string): (readonly [string, string])[] =>
  find(text).map(({ rule, start, end }) => [rule, text.slice(start, end)] as const)

describe('the rules for secrets', () => {
  it.each([
    ['github', GITHUB],
    ['shopify', SHOPIFY],
    ['anthropic', ANTHROPIC],
    ['privatekey', PEM],
    ['privatekey', PEM.replaceAll('\n', '\\n')],
    ['privatekey', ED25519],
    ['privatekey', ED25519.replaceAll('\n', '\\\\n')],
    ['privatekey', PEM.replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n')],
    ['basicauth', 'https://ada:kJh3-9xQ@example.org'],
    ['database-connection-string', 'postgres://ada:kJh39xQ2@db.example.org/tides'],
  ])('knows %s by its shape', (rule, secret) => {
    expect(found(secret)).toEqual([[rule, secret]])
    expect(found(`{"a":"before ${secret}"}, after`)).toEqual([[rule, secret]])
  })

  it('reports only the secret where a rule reports the text around it', () => {
    expect(found(`export AWS_SECRET_ACCESS_KEY="${AWS}"`)).toEqual([['aws', AWS]])
  })

  it('reports a private key that was cut before its end', () => {
    const torn = PEM.slice(0, 120)
    expect(found(`{"text":"${torn.replaceAll('\n', '\\n')}`)).toEqual([
      ['privatekey', torn.replaceAll('\n', '\\n')],
    ])
    expect(found('-----BEGIN PRIVATE KEY----- stands before what is kept secret, and END after it')).toEqual(
      [],
    )
  })

  it('reports all in order, none within another', () => {
    expect(found(`${SHOPIFY} ${GITHUB} ${SHOPIFY}`)).toEqual([
      ['shopify', SHOPIFY],
      ['github', GITHUB],
      ['shopify', SHOPIFY],
    ])
  })

  it.each([
    'ghp_tooshort',
    'https://user:password@example.org',
    'postgres://ada:%PASSWORD%@db/tides',
    'd878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8',
    'password = hunter2',
  ])('does not guess: %s', (text) => {
    expect(found(text)).toEqual([])
  })

  it('ends in time on adversarial input', () => {
    const hostile = ['xoxb-', 'a-', '-----BEGIN RSA PRIVATE KEY-----', 'mysql://', 'AWS_SECRET', 'SG.a.']
    for (const part of hostile) expect(found(part.repeat(200_000 / part.length)).length).toBeLessThan(2)
  })
})
