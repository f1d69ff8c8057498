// Tests that take longest come first: at the end, small files keep every core busy until the last one.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects of vitest.config.ts; Vitest itself goes by their names, and ends with files of half a minute. */
const PROJECTS = ['processes', 'workers', 'pages', 'slow', 'fast']

export class LongestFirst extends BaseSequencer {
  /** Within a project Vitest's own order stays: by the times of the last run, else by size. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
