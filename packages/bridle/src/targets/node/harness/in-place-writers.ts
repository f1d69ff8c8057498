// Reports when in-place agents can write in a folder of a person: while such a run is active and while its sandbox is up.
import type { Job, Runner } from '../../../kernel/ports/runner.ts'

/** Reports that the folder may be written from now on. The returned function reports the end. */
export type WritingStart = (work: string) => () => void

/** The runner, with a report of the start and end of each in-place run. */
export const withWriters = (runner: Runner, begin: WritingStart): Runner => {
  const during = async <T>({ settings }: Job, work: () => Promise<T>): Promise<T> => {
    const { workspace_kind: kind, workspace_path: path } = settings
    if (kind !== 'in_place' || typeof path !== 'string') return work()
    const end = begin(path)
    return work().finally(end)
  }
  return {
    ...runner,
    start: (job, reporter) => during(job, () => runner.start(job, reporter)),
    attach: (job, reporter) => during(job, () => runner.attach(job, reporter)),
  }
}
