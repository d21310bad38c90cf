/** Returns so many messages as pi keeps them, about 1 KB each: a prompt, calls with their results, an answer. */
export function messages(count: number, seed?: number): Iterable<object>
