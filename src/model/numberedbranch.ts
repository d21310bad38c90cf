/** The name of a branch that has none in its source, by digits of the oid of its first entry: 8, and more where others have those. */
export const numberedName = (digits: string): string => `at-${digits}`

const NUMBERED = /^at-([0-9a-f]{8})$/

/** Returns the digits of such a name that has 8 of them; undefined for every other name. */
export const digitsOf = (name: string): string | undefined => NUMBERED.exec(name)?.[1]
