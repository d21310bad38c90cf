import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('lists refs as they are stored', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess switch 3b1f/at-1d9fca05'),
      await shell.type('sess for-each-ref'),
      await shell.type('sess switch 3b1f~2 --session 3b1f'),
      await shell.type('sess for-each-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess switch 3b1f/at-1d9fca05
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch at-1d9fca05 (eeb9681aa7)
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 main
    $ sess for-each-ref
    - other	current/%2Fhome%2Fada
    5eb70cecea3820f3ea61331ab3b3f7f8bae841f0b7436c989ff6b4764b5c7c39 branch	sessions/019d3f52-7a10-7c43-9be1-40f6d2a8c531/branches/main
    - meta	sessions/019d3f52-7a10-7c43-9be1-40f6d2a8c531/meta
    - source	sessions/019d3f52-7a10-7c43-9be1-40f6d2a8c531/source
    f73c6a39d68afd707999cd88477c84f1564e3776dfbaec4ae90c57ca1e372b1a branch	sessions/019d4482-11c6-7e90-8f2a-b3d97e610c48/branches/main
    - meta	sessions/019d4482-11c6-7e90-8f2a-b3d97e610c48/meta
    - source	sessions/019d4482-11c6-7e90-8f2a-b3d97e610c48/source
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    b6be4a283625f09f30312f8873beb2bfaf76703c9c8b82bfa3dafa27cf114ade label	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/before-cache
    - meta	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/meta
    - source	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/source
    ref:at-1d9fca05 HEAD	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD
    eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/at-1d9fca05
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main
    - meta	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/meta
    - source	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/source
    732cfba3f32d22977cc6bdb406b85aca3c45d7010b380859b8937a07c8cc5aba branch	sessions/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/branches/main
    - meta	sessions/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/meta
    - source	sessions/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/source
    $ sess switch 3b1f~2 --session 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (c29aeb94d4)
    ! hint: entries appended here are on no branch; create one with: sess switch -c NAME 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! hint: turn this hint off with: sess config hints.detached false
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 at-1d9fca05
    $ sess for-each-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD
    c29aeb94d496d63dc99ece7045ab793aa18c921562fe0f0a04666b8795d3a010 HEAD	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD
    "
  `)
})

it('takes patterns, an order and a number', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type("sess for-each-ref '**/branches/*'"),
      await shell.type('sess for-each-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'),
      await shell.type(
        "sess for-each-ref 'sessions/019d4*/source' sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches",
      ),
      await shell.type("sess for-each-ref '**/main' --sort oid"),
      await shell.type('sess for-each-ref --reverse --count 2'),
      await shell.type("sess for-each-ref 'sessions/*'"),
      await shell.type("sess for-each-ref '**/b?anches/at-*' -z"),
      await shell.type('sess for-each-ref --sort size'),
    ]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess for-each-ref '**/branches/*'
    5eb70cecea3820f3ea61331ab3b3f7f8bae841f0b7436c989ff6b4764b5c7c39 branch	sessions/019d3f52-7a10-7c43-9be1-40f6d2a8c531/branches/main
    f73c6a39d68afd707999cd88477c84f1564e3776dfbaec4ae90c57ca1e372b1a branch	sessions/019d4482-11c6-7e90-8f2a-b3d97e610c48/branches/main
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/at-1d9fca05
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main
    732cfba3f32d22977cc6bdb406b85aca3c45d7010b380859b8937a07c8cc5aba branch	sessions/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/branches/main
    $ sess for-each-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/at-1d9fca05
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main
    - meta	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/meta
    - source	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/source
    $ sess for-each-ref 'sessions/019d4*/source' sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches
    - source	sessions/019d4482-11c6-7e90-8f2a-b3d97e610c48/source
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    - source	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/source
    $ sess for-each-ref '**/main' --sort oid
    5eb70cecea3820f3ea61331ab3b3f7f8bae841f0b7436c989ff6b4764b5c7c39 branch	sessions/019d3f52-7a10-7c43-9be1-40f6d2a8c531/branches/main
    732cfba3f32d22977cc6bdb406b85aca3c45d7010b380859b8937a07c8cc5aba branch	sessions/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/branches/main
    98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/main
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 branch	sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main
    f73c6a39d68afd707999cd88477c84f1564e3776dfbaec4ae90c57ca1e372b1a branch	sessions/019d4482-11c6-7e90-8f2a-b3d97e610c48/branches/main
    $ sess for-each-ref --reverse --count 2
    - source	sessions/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/source
    - meta	sessions/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/meta
    $ sess for-each-ref 'sessions/*'
    $ sess for-each-ref '**/b?anches/at-*' -z
    eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898 branch	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/at-1d9fca05␀$ sess for-each-ref --sort size
    ! sess: '--sort' takes name, kind, session or oid, not 'size'
    ! hint: type 'sess help for-each-ref' to see how it is used
    exit 2
    "
  `)
})

it('gives scripts all of it', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess branch 019d4e07 "a try"'),
      await shell.type('sess switch 019d4e07/a%20try'),
      await shell.type('sess switch "019d4e07/a try"'),
      await shell.type('sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65 --json'),
    ]
      .join('')
      .replaceAll(/"[0-9a-f]{16}\./g, '"<writer>.'),
  ).toMatchInlineSnapshot(`
    "$ sess branch 019d4e07 "a try"
    Created branch a try at d46180147d
    $ sess switch 019d4e07/a%20try
    ! sess: no session or entry is called '019d4e07/a%20try'
    ! hint: it has a try, main, before-cache; type 'sess branch 019d4e07' to see its branches
    exit 1
    $ sess switch "019d4e07/a try"
    Switched session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 to branch a try (d46180147d)
    ! go back with: sess switch --session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 main
    $ sess for-each-ref sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65 --json
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/HEAD","kind":"HEAD","session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","short":null,"oid":null,"value":{"branch":"a try"}}
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/a%20try","kind":"branch","session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","short":"a try","oid":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1","value":null}
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/branches/main","kind":"branch","session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","short":"main","oid":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1","value":null}
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/labels/before-cache","kind":"label","session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","short":"before-cache","oid":"b6be4a283625f09f30312f8873beb2bfaf76703c9c8b82bfa3dafa27cf114ade","value":null}
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/meta","kind":"meta","session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","short":null,"oid":null,"value":{"format":"pi","title":"Slow forecast for Brest","cwd":"/home/ada/tides","created":1775115000000,"path":"/home/ada/sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl","prompt":"Why is the forecast for Brest slow?"}}
    {"name":"sessions/019d4e07-5b20-7d11-a6c2-93e1f04b7a65/source","kind":"source","session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","short":null,"oid":null,"value":{"log":"<writer>.4","count":18,"entries":15,"hash":"a6896f30268e293c762957e35a08070189e807d40d3172053a1d2ceca396f149","updated":1775115068000,"reading":1,"bytes":5926,"sha256":"c9a51dad2ee65cf7d694de329c6ce1a7fc446a2a183d1fe587a4ee9ab2b4e648","start":"d7a292c88c98636b","tail":["3583fc672f8bba139cdb6f8aed13487e9d32c7952de6fb6e79d97429bcb7f062"],"branches":{"main":"d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1"},"salvaged":0,"summary":{"prompts":3,"calls":3,"model":"claude-sonnet-4-5","input":7200,"output":540,"cacheRead":4800,"cacheWrite":0,"cost":0.03114,"spending":{"models":["claude-sonnet-4-5"],"rows":[[1972350,0,null,6,7200,540,4800,0,null,0.03114]],"openings":["2608754591e0"]}}}}
    "
  `)
})

it('prints what a template says', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type(
        "sess for-each-ref '**/branches/*' --format '{session|cut 9} {short}\\t{oid.short}\\n'",
      ),
      await shell.type("sess for-each-ref 'sessions/3b1f*/**' -T '{held|cut 11} {kind}'"),
      await shell.type("sess for-each-ref --format '{nam}'"),
      await shell.type("sess for-each-ref --format '{name}' --json"),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess for-each-ref '**/branches/*' --format '{session|cut 9} {short}\\t{oid.short}\\n'
    019d3f52… main	5eb70cecea
    019d4482… main	f73c6a39d6
    019d4e07… main	d46180147d
    3b1f6a20… at-1d9fca05	eeb9681aa7
    3b1f6a20… main	98c5e71acd
    c7d02e95… main	732cfba3f3
    $ sess for-each-ref 'sessions/3b1f*/**' -T '{held|cut 11} {kind}'
    eeb9681aa7… branch
    98c5e71acd… branch
    - meta
    - source
    $ sess for-each-ref --format '{nam}'
    ! sess: cannot read the template: 'nam' is no field
    !   | {nam}
    !   |  ^^^
    ! hint: did you mean 'name'? there are name, kind, session, short, oid, held, value; type 'sess help templates' for the language
    exit 2
    $ sess for-each-ref --format '{name}' --json
    ! {"error":{"code":"bad-usage","kind":"usage","message":"--json and --format exclude each other","hint":"type 'sess help for-each-ref' to see how it is used","retryable":false}}
    exit 2
    "
  `)
})
