// A small plot with a name, its newest value, and its numbers as a table for those who cannot see it.

import { useId } from 'react'
import { secondText } from '../../ui/clock.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { axisWidth, type PlotPoint, plotShape } from './plot-path.ts'

/** Rows of the table of a plot: nobody reads more. */
const TABLE_ROWS_MAX = 50

interface PlotProps {
  readonly title: string
  readonly points: readonly PlotPoint[]
  readonly text: (value: number) => string
  /** The newest value in words. */
  readonly newest: string
  readonly min?: number
  readonly max: number
  readonly limit?: number | undefined
  readonly isStepped?: boolean
  /** Each point is a thing of its own, as a call is: dots, no line. */
  readonly isDots?: boolean
  readonly isTable: boolean
  readonly place: keyof typeof WIDTHS
}

/** As wide as its place, so that its words keep their size: the column of the inspector, or a quarter of the page. */
const WIDTHS = { column: 344, page: 260 }
const HEIGHT = 88

export const Plot = ({
  title,
  points,
  text,
  newest,
  min = 0,
  max,
  limit,
  isStepped = false,
  isDots = false,
  isTable,
  place,
}: PlotProps) => {
  const caption = useId()
  return (
    <figure className="plot-box" aria-labelledby={caption}>
      <figcaption id={caption}>
        {title}
        <b className="right num medium">{newest}</b>
      </figcaption>
      {isTable ? (
        <PlotTable points={points} text={text} title={title} />
      ) : (
        <PlotPicture {...{ title, points, text, newest, min, max, limit, isStepped, isDots, place }} />
      )}
    </figure>
  )
}

type PlotPictureProps = Required<Omit<PlotProps, 'isTable' | 'limit'>> & Pick<PlotProps, 'limit'>

const PlotPicture = ({ title, points, text, newest, min, max, limit, isStepped, isDots, place }: PlotPictureProps) => {
  const until = points.at(-1)?.at ?? 0
  const first = secondText(points[0]?.at ?? until)
  const last = secondText(until)
  const width = WIDTHS[place]
  const box = { left: axisWidth(min, max, text) + 5, right: width - 2, top: 8, bottom: 70 }
  const shape = plotShape(points, box, { min, max, until, isStepped })
  return (
    <svg
      className="plot"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`${title} from ${first} to ${last}, now ${newest}`}
    >
      {shape.grid.map(({ y, value }) => (
        <g key={value}>
          <line className="g" x1={box.left} x2={box.right} y1={y} y2={y} />
          <text x={box.left - 5} y={y + 4} textAnchor="end">
            {text(value)}
          </text>
        </g>
      ))}
      {!isStepped && !isDots && <path className="ar" d={shape.area} />}
      {!isDots && <path className="ln" d={shape.line} />}
      {isDots &&
        shape.points.map(({ x, y }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: points stay in their order
          <circle key={index} className="dp" cx={x} cy={y} r="2.5" />
        ))}
      {limit !== undefined && limit >= min && limit <= max && (
        <line className="lim" x1={box.left} x2={box.right} y1={shape.y(limit)} y2={shape.y(limit)} />
      )}
      <text x={box.left} y={HEIGHT - 2}>
        {first}
      </text>
      {/* Two times that read alike say nothing about the span. */}
      {last !== first && (
        <text x={box.right} y={HEIGHT - 2} textAnchor="end">
          {last}
        </text>
      )}
    </svg>
  )
}

const PlotTable = ({ points, text, title }: Pick<PlotProps, 'points' | 'text' | 'title'>) => (
  <ScrollBox label={`${title} as a table`} className="plot-table">
    <table className="tbl dense">
      <thead>
        <tr>
          <th>Time</th>
          <th className="n">{title}</th>
        </tr>
      </thead>
      <tbody>
        {points.slice(-TABLE_ROWS_MAX).map(({ at, value }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: points stay in their order
          <tr key={index}>
            <td className="num">{secondText(at)}</td>
            <td className="n">{text(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
)
