// Says when agents can write in a folder of a person: while a run of a session in place is at work, and while its sandbox is up.
import type { Job, Runner } from '../../../kernel/ports/runner.ts'

/** Something in the folder may write from now on; returns the end of that. */
export type BeginWriting = (work: string) => () => void

/** The runner, which says when a run in place begins and ends. */
export const withWriters = (runner: Runner, begin: BeginWriting): Runner => {
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
