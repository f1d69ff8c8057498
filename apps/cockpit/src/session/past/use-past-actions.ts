// The actions of time, for keys and for the palette.
import { useAction } from '../../actions/use-action.ts'
import { useCanBranch } from '../../server/use-can.ts'
import { usePast } from './past-context.ts'
import { useBranchHere } from './use-branch-here.ts'

export const usePastActions = (): void => {
  const { isPast, problem, isLoading, isReplay, seq, head, overview, moveTo, leave, togglePlay } = usePast()
  const canBranch = useCanBranch()
  const { branch } = useBranchHere()
  const isAway = isPast || isLoading || problem !== null
  const checkpoints = (): readonly number[] =>
    overview.marks.flatMap((mark) => (mark.kind === 'checkpoint' ? [mark.seq] : []))
  useAction('past.previous', seq > overview.first ? () => moveTo(seq - 1) : null)
  useAction('past.next', isPast && seq < head ? () => moveTo(seq + 1) : null)
  useAction('past.previous_checkpoint', () => moveTo(checkpoints().findLast((at) => at < seq) ?? overview.first))
  useAction('past.next_checkpoint', isPast ? () => moveTo(checkpoints().find((at) => at > seq) ?? head) : null)
  useAction('past.play', togglePlay)
  useAction('past.branch', isPast && canBranch ? () => branch() : null)
  useAction('past.leave', isAway && !isReplay ? leave : null)
}
