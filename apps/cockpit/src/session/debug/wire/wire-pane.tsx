// The frames of the page's connections, as they come and go.

import { bytesText } from 'bridle/words'
import { useState } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { useConnection } from '../../thread/thread-context.tsx'
import { milliText } from '../milli-text.ts'
import { Segments } from '../segments.tsx'
import { useFrames, WIRES, type Wire } from './use-frames.ts'
import type { WireFrame } from './wire-frame.ts'

const FRAMES_SHOWN = 100

export const WirePane = () => {
  const [wire, setWire] = useState<Wire>('Socket')
  const frames = useFrames(wire)
  const { resyncs, lastSeq } = useConnection()
  const { counts } = frames
  const shown = frames.newest(FRAMES_SHOWN)
  return (
    <section className="debug-wire" aria-label="Wire">
      <div className="debug-h">
        <h2 className="medium">Wire</h2>
        <span className="t3 num trunc">
          {counts.in} in, {counts.out} out
          {wire === 'Socket' && `, seq ${lastSeq ?? 'unknown'}, gaps ${counts.gaps}, resyncs ${resyncs}`}
        </span>
        <span className="right">
          <Segments label="Wire" options={WIRES} selected={wire} onSelect={setWire} />
        </span>
      </div>
      <ScrollBox className="debug-frames" label={`Frames of ${wire.toLowerCase()}, newest first`}>
        {shown.length === 0 && <p className="small t3 debug-none">Nothing since this page was opened.</p>}
        {shown.map((frame) => (
          <FrameRow key={frame.id} frame={frame} />
        ))}
      </ScrollBox>
    </section>
  )
}

const FrameRow = ({ frame: { isOut, at, kind, words, bytes } }: { readonly frame: WireFrame }) => (
  <div className="frame-row">
    <span className={isOut ? 'accent' : 'ok'}>
      <Icon name={isOut ? 'arrow-up' : 'arrow-down'} size={12} />
      <span className="vh">{isOut ? 'out' : 'in'}</span>
    </span>
    <span className="t3">{milliText(at)}</span>
    <span className="trunc">{kind}</span>
    <span className="trunc t2">{words}</span>
    <span className="t3 frame-size">{bytesText(bytes)}</span>
  </div>
)
