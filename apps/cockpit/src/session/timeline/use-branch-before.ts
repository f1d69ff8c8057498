// A branch that has everything before an event, and not the event itself.
import { useBranchAt } from '../past/use-branch-here.ts'

export const useBranchBefore = (): ((seq: number) => Promise<boolean>) => {
  const { branchAt } = useBranchAt()
  return (seq) =>
    branchAt(Math.max(1, seq - 1), {
      words: `This is the branch: it has everything before event ${seq}. Say what it should do.`,
    })
}
