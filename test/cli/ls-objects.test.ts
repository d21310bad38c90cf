import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('lists every entry, or those that nothing reaches', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/pi')
  expect(
    [
      await shell.type('sess ls-objects'),
      await shell.type('sess ls-objects --size'),
      await shell.type('sess ls-objects --dangling'),
      await shell.type('sess branch 019d4e07 try 019d4e07~2'),
      await shell.type('sess switch 019d4e07/try'),
      await shell.type('sess append 019d4e07 --role user', { stdin: ['What now?'] }),
      await shell.type('sess switch 019d4e07/main'),
      await shell.type('sess branch 019d4e07 -d try'),
      await shell.type('sess ls-objects --dangling'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess ls-objects
    0b1a5a0e876a29934c750916ebd88fcecb48165d0704382952527f1b2ce82385 pi/model_change 0
    bf269ecd565dfff9376362d405b95f23fd45660a192cd5e7c65cccb40c6f3ab9 pi/thinking_level_change 1
    2608754591e01a56d2346ba324f30e9788405f98aa2b1e71516a32b02ef30a23 pi/message 1
    a6a5222043a4f59607033f56209449068982e521233d9a1a79bc912c26d552e3 pi/message 1
    da92c074a58bff9f326a22c06a6869e499a94f795b30661cc720cd2504d57530 pi/message 1
    819f25dda380fd72f1d73a5af9cf24c4aaf76bde263ea7e8abe271bb5f13837f pi/message 1
    b6be4a283625f09f30312f8873beb2bfaf76703c9c8b82bfa3dafa27cf114ade pi/message 1
    6f13a4c27e397f7aceb08d5b6625b4606e34be2c576e82d829c759d1ba1ad62e pi/message 1
    dfe9c488d25bada7bde0b824fd9126f88df836f91503b03969d2e2d9458aecee pi/message 1
    602e3ec014a469aa05ecbef354d2e8fb82fe41c9faf58bd28d6671815b406f09 pi/message 1
    ee044e52d9e581f26c52b37b6d66fd3e849e91c231e16f1f941dba1312d5e51c pi/message 1
    a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71 pi/message 1
    283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8 pi/compaction 1
    dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7 pi/message 1
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 pi/message 1
    $ sess ls-objects --size
    0b1a5a0e876a29934c750916ebd88fcecb48165d0704382952527f1b2ce82385 pi/model_change 0 46
    bf269ecd565dfff9376362d405b95f23fd45660a192cd5e7c65cccb40c6f3ab9 pi/thinking_level_change 1 22
    2608754591e01a56d2346ba324f30e9788405f98aa2b1e71516a32b02ef30a23 pi/message 1 82
    a6a5222043a4f59607033f56209449068982e521233d9a1a79bc912c26d552e3 pi/message 1 419
    da92c074a58bff9f326a22c06a6869e499a94f795b30661cc720cd2504d57530 pi/message 1 124
    819f25dda380fd72f1d73a5af9cf24c4aaf76bde263ea7e8abe271bb5f13837f pi/message 1 348
    b6be4a283625f09f30312f8873beb2bfaf76703c9c8b82bfa3dafa27cf114ade pi/message 1 89
    6f13a4c27e397f7aceb08d5b6625b4606e34be2c576e82d829c759d1ba1ad62e pi/message 1 402
    dfe9c488d25bada7bde0b824fd9126f88df836f91503b03969d2e2d9458aecee pi/message 1 143
    602e3ec014a469aa05ecbef354d2e8fb82fe41c9faf58bd28d6671815b406f09 pi/message 1 353
    ee044e52d9e581f26c52b37b6d66fd3e849e91c231e16f1f941dba1312d5e51c pi/message 1 124
    a0209d045ed9105f6f9855b887184a52b616090c6f9f9ccf7ca65ca1a2879f71 pi/message 1 338
    283d4aa753d55b72f4943c8092ff1c4aa70e62840b3b9bc1c1cade3b8c8406d8 pi/compaction 1 199
    dd442d396955043c1ac5075ec5f4057dda8ce6240e65db1782466a355b18e7f7 pi/message 1 76
    d46180147d235f0907b4925fb426214efa3b2b763e9a4c543eb6f7df181176b1 pi/message 1 346
    $ sess ls-objects --dangling
    $ sess branch 019d4e07 try 019d4e07~2
    Created branch try at 283d4aa753
    $ sess switch 019d4e07/try
    Switched session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 to branch try (283d4aa753)
    ! go back with: sess switch --session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 main
    $ sess append 019d4e07 --role user
    90424b6780b060abbf2a5f440fc33ad4b63a1bf72c5b50c4cab23c836bda9f52
    $ sess switch 019d4e07/main
    Switched session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 to branch main (d46180147d)
    ! go back with: sess switch --session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 try
    $ sess branch 019d4e07 -d try
    Deleted branch try (was 90424b6780)
    ! go back with: sess branch 019d4e07 try 90424b6780
    $ sess ls-objects --dangling
    90424b6780b060abbf2a5f440fc33ad4b63a1bf72c5b50c4cab23c836bda9f52 sess/message 1
    "
  `)
})

it('gives scripts lines of JSON, or NULs', async () => {
  const shell = new Shell()
  await shell.run('sess append --new --role user', { stdin: ['Hi'] })
  expect(
    [await shell.type('sess ls-objects --json --size'), await shell.type('sess ls-objects -z')]
      .join('')
      .replaceAll('\0', '␀'),
  ).toMatchInlineSnapshot(`
    "$ sess ls-objects --json --size
    {"oid":"d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8","parents":[],"type":"sess/message","size":22}
    $ sess ls-objects -z
    d878049e4397d4e9d494af6fca9c6e469b72123b7cd6f6d2a4e493acbb5060a8 sess/message 0␀"
  `)
})
