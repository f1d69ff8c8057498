import { Icon } from '../ui/icon.tsx'
import { type TourStop, tourStops } from './tour-progress.ts'

/** The stops of the tour in a row; those that were passed are ticked. */
export const StopList = ({ passed }: { readonly passed: ReadonlySet<TourStop> }) => (
  <ol className="tour-stops">
    {tourStops.map(({ stop, word, icon }) => (
      <li key={stop} className={passed.has(stop) ? 'done' : ''}>
        <span className="tour-dot">
          <Icon name={passed.has(stop) ? 'check' : icon} size={14} />
        </span>
        <span className="small medium">
          {word}
          {passed.has(stop) && <span className="vh">, done</span>}
        </span>
      </li>
    ))}
  </ol>
)
