// The moment up to which open calls have run: now, or the moment that the page shows.
import { useNow } from '../../ui/use-now.ts'
import type { Chart } from './model/chart.ts'

export const useChartTime = ({ isOpen, lastAt }: Chart): number => {
  const now = useNow()
  // A server whose clock is ahead of the browser's has no calls of negative length.
  return isOpen ? Math.max(now, lastAt) : lastAt
}
