import { useSession } from '../session-context.tsx'

export const Inspector = () => {
  const { events } = useSession()
  return <aside className="insp">{events.timeline.length}</aside>
}
