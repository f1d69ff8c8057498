// A reporter of Vitest for scripts/run-tests.ts: the files that failed, and how many errors belong to no test. The JSON of Vitest leaves
// these errors out.
import { writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

export interface FailureReport {
  readonly files: readonly string[]
  readonly strayErrors: number
}

/** The variable that names the file to write. */
export const REPORT_FILE = 'FAILED_FILES_REPORT'

export default class FailedFilesReporter implements Reporter {
  onTestRunEnd(...[modules, errors]: Parameters<NonNullable<Reporter['onTestRunEnd']>>): void {
    const file = process.env[REPORT_FILE]
    if (file === undefined) return
    const files = modules.filter((module) => module.state() === 'failed').map(({ moduleId }) => moduleId)
    const report: FailureReport = { files: [...new Set(files)], strayErrors: errors.length }
    writeFileSync(file, JSON.stringify(report))
  }
}
