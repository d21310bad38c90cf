import { expect, it } from 'vitest'
import { mountType, networkFileSystem } from '../../../src/storage/directory/networkfilesystem.ts'
import { newFolder } from '../../support/folder.ts'

const MOUNTS = `/dev/vda / ext4 rw 0 0
server:/export /mnt/nfs nfs4 rw 0 0
me@host:/ /mnt/with\\040space fuse.sshfs rw 0 0
/dev/sdb /mnt/with\\040space/inner ext4 rw 0 0
tmpfs /mnt/over tmpfs rw 0 0
me@host:/ /mnt/over fuse.sshfs rw 0 0
`

it.each([
  ['/home/me', 'ext4'],
  ['/mnt/nfs/store', 'nfs4'],
  ['/mnt/nfsother', 'ext4'],
  ['/mnt/with space', 'fuse.sshfs'],
  ['/mnt/with space/inner/store', 'ext4'],
  ['/mnt/over/store', 'fuse.sshfs'],
])('%s is on %s', (path, type) => {
  expect(mountType(path, MOUNTS)).toBe(type)
})

it('does not take a local folder for one of another machine', () => {
  expect(networkFileSystem(newFolder())).toBeUndefined()
})
