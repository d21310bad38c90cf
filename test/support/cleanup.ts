const tasks: (() => unknown)[] = []

/** Runs a task after the present test, before the tasks that were added earlier. */
export const afterTest = (task: () => unknown): unknown => tasks.push(task)

/**
 * Runs the tasks of a test. Called by the setup file, which runs for each test file: test files share a process and its
 * modules, so that a hook in a module would serve only the first file that imports it.
 */
export async function cleanUp(): Promise<void> {
  const errors: unknown[] = []
  for (const task of tasks.splice(0).reverse())
    try {
      await task()
    } catch (error) {
      errors.push(error)
    }
  if (errors.length > 0) throw errors[0]
}
