import { readFileSync, realpathSync, statfsSync } from 'node:fs'

/** The numbers that statfs(2) reports for network file systems on Linux. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb'],
  [0x01021997, '9p'],
  [0x5346414f, 'afs'],
  [0x00c36400, 'ceph'],
  [0x73757245, 'coda'],
  [0x0bd00bd0, 'lustre'],
  [0x47504653, 'gpfs'],
])

const FUSE = 0x65735546

/** The types of FUSE mounts of other machines in /proc/mounts. */
const REMOTE = /^fuse\.(?:sshfs|s3fs|rclone|glusterfs|ceph|davfs|gcsfuse|goofys)/

/** Returns the name of the network file system that a folder is on, or undefined where the system reports none. */
export function networkFileSystem(dir: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const type = statfsSync(dir).type >>> 0
    return type === FUSE ? remoteFuse(realpathSync(dir)) : TYPES.get(type)
  } catch {
    return undefined // the system does not report it
  }
}

function remoteFuse(dir: string): string | undefined {
  const type = mountType(dir, readFileSync('/proc/mounts', 'utf8'))
  return type !== undefined && REMOTE.test(type) ? type : undefined
}

/** Returns the type of the file system that is mounted over a path, by the text of /proc/mounts. */
export function mountType(path: string, mounts: string): string | undefined {
  let [longest, found]: [number, string | undefined] = [-1, undefined]
  for (const line of mounts.split('\n')) {
    const [, escaped = '', type] = line.split(' ')
    const at = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    const isAbove = path === at || path.startsWith(at.endsWith('/') ? at : `${at}/`)
    // Of two mounts over one another the later one counts.
    if (isAbove && at !== '' && at.length >= longest) [longest, found] = [at.length, type]
  }
  return found
}
