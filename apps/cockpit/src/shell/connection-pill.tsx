import { useLive } from '../server/server-context.tsx'

const words = { connecting: 'Connecting', open: 'Live', reconnecting: 'Lost', closed: 'Closed' } as const

export const ConnectionPill = () => {
  const phase = useLive((state) => state.phase)
  return (
    <span className={`live${phase === 'open' ? '' : ' lost'}`}>
      <span className="dot" />
      {words[phase]}
    </span>
  )
}
