import {expect, test} from 'vitest'
import {durationIn, momentIn} from '#lib/api/moment.js'

const NOW = new Date(2026, 10, 30, 12).getTime()
const local = (year: number, month: number, day: number, hour = 0, minute = 0) =>
  new Date(year, month, day, hour, minute).getTime()
const HOUR = 3_600_000
const DAY = 24 * HOUR

test.each([
  ['30m', NOW - HOUR / 2],
  ['12h', NOW - 12 * HOUR],
  ['7D', NOW - 7 * DAY],
  ['2w', NOW - 14 * DAY],
  ['-1d', NOW - DAY],
  ['+1d', NOW + DAY],
  ['2w ago', NOW - 14 * DAY],
  ['3 days ago', NOW - 3 * DAY],
  ['in 3 days', NOW + 3 * DAY],
  ['3mo', local(2026, 7, 30, 12)],
  ['9mo', local(2026, 1, 28, 12)],
  ['1y', local(2025, 10, 30, 12)],
  ['1y2mo', local(2025, 8, 30, 12)],
  ['1 year', local(2025, 10, 30, 12)],
  ['now', NOW],
  ['today', local(2026, 10, 30)],
  ['Yesterday', local(2026, 10, 29)],
  ['tomorrow', local(2026, 11, 1)],
  ['2026-01-31', local(2026, 0, 31)],
  ['2026-01-31T10:30', local(2026, 0, 31, 10, 30)],
  ['2026-01-31T10:30:00+02:00', Date.UTC(2026, 0, 31, 8, 30)],
  ['2026-01-31T10:30Z', Date.UTC(2026, 0, 31, 10, 30)],
  ['2026-02-30', undefined],
  ['7', undefined],
  ['', undefined],
  ['-', undefined],
  ['1q', undefined],
  ['1d1', undefined],
  ['-1d ago', undefined],
  ['+in 1d', undefined],
  ['someday', undefined],
  ['constructor', undefined],
  ['999999y', undefined],
  [`${'1d'.repeat(5000)}!`, undefined],
])('%j is a time', (text, moment) => {
  expect(momentIn(text, NOW)).toBe(moment)
})

test.each([
  ['30d', NOW + 30 * DAY],
  ['+30d', NOW + 30 * DAY],
  ['-30d', NOW - 30 * DAY],
  ['3mo', local(2027, 1, 28, 12)],
  ['tomorrow', local(2026, 11, 1)],
])('%j in the future', (text, moment) => {
  expect(momentIn(text, NOW, {isAhead: true})).toBe(moment)
})

test.each([
  ['30s', 30_000],
  ['8h', 28_800_000],
  ['10 min', 600_000],
  ['1d 12h', 129_600_000],
  ['2W', 1_209_600_000],
  ['0s', 0],
  ['8', undefined],
  ['3mo', undefined],
  ['-1h', undefined],
  ['1h ago', undefined],
  ['1x', undefined],
  ['', undefined],
])('a duration "%s" is %s ms', (text, length) => {
  expect(durationIn(text)).toBe(length)
})
