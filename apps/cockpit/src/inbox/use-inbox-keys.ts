// `j` and `k` move through the list; Enter on a row opens its card.
import { useAction } from '../actions/use-action.ts'

export const useInboxKeys = (onMove: (step: 1 | -1) => void): void => {
  useAction('list.next', () => onMove(1))
  useAction('list.previous', () => onMove(-1))
}
