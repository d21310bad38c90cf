/** Gives a time as people read it, local and to the minute; a dash where it is not known. */
export function minute(iso: string | null, zone: (time: number) => number): string {
  if (iso === null) return '-'.padEnd(16)
  const time = Date.parse(iso)
  return new Date(time + zone(time) * 60_000).toISOString().slice(0, 16).replace('T', ' ')
}
