import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'

/** The properties by which the system identifies a folder, and those by which the system itself is identified. */
export type FolderId = {
  readonly device: string
  readonly inode: string
  /** Nanoseconds since 1970, 0 where the file system does not keep it. Inode numbers are used again; this is not. */
  readonly born: string
} & MachineId

/** The properties by which a running system is identified; '' for what it does not have. */
export type MachineId = {
  readonly host: string
  /** The id that an installation draws once, which containers mostly lack. */
  readonly machine: string
  /** The id that a kernel draws when it starts. Its containers share it. */
  readonly boot: string
}

/** The parts of a `FolderId`. */
export const FOLDER_ID_PARTS = ['device', 'inode', 'born', 'host', 'machine', 'boot'] as const

/** Returns the identity of the running system. */
export const machineId = (): MachineId => ({
  host: hostname(),
  machine: textOf('/etc/machine-id'),
  boot: textOf('/proc/sys/kernel/random/boot_id'),
})

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim().slice(0, 64)
  } catch {
    return '' // a system without the file is identified by the rest
  }
}

/** Returns the identity of a folder on a running system. */
export function folderIdOf(dir: string, machine: MachineId): FolderId {
  const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true })
  return { device: `${dev}`, inode: `${ino}`, born: `${birthtimeNs}`, ...machine }
}

/** Returns whether two identities are of one folder, not of a folder and its copy. */
export const isSameFolder = (a: FolderId, b: FolderId): boolean =>
  a.device === b.device && a.inode === b.inode && a.born === b.born && isSameMachine(a, b)

/**
 * Returns whether two identities are of one machine. Since one start of a kernel they are, whatever the names of its
 * containers and networks; after another start the machine's own id decides, and its name only where it has no id.
 */
function isSameMachine(a: MachineId, b: MachineId): boolean {
  if (a.boot !== '' && a.boot === b.boot) return true
  return a.machine !== '' && b.machine !== '' ? a.machine === b.machine : a.host === b.host
}
