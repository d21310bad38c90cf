import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with the one plain line `N passed, N failed`, and `, N skipped` where any were, for whoever reads the
 * output by program. A file that does not load and an error outside of tests count as failed.
 */
export default class Counts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0
    let failed = errors.length
    let skipped = 0
    for (const module of modules) {
      let failedHere = 0
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed++
        else if (state === 'failed') failedHere++
        else skipped++
      }
      failed += failedHere === 0 && module.state() === 'failed' ? 1 : failedHere
    }
    const counts = `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
    // At the exit, because the other reporters' summaries come after this.
    process.on('exit', () => process.stdout.write(`${counts}\n`))
  }
}
