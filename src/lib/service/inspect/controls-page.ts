import {targetTime} from '#lib/api/moment.js'
import {ClockError, type ServiceClock} from '#lib/service/clock.js'
import type {FaultPlan} from '#lib/service/faults/plan.js'
import {FaultPlanError, readFaultPlan} from '#lib/service/faults/read.js'
import {faultPlanText} from '#lib/service/faults/write.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {tokenField} from '#lib/service/oauth/pages/layout.js'
import {timeHtml} from '#lib/service/window/format.js'
import {CONTROLS_PATH, inspectPage} from './inspect-page.js'

/** The parts of a service that the page controls. */
export interface Controls {
  readonly clock: ServiceClock
  /** Sends the notifications that are due. */
  settle(): Promise<void>
  faults(): FaultPlan | undefined
  setFaults(plan: FaultPlan | undefined): void
}

/** The result of a submitted form. */
interface Result {
  readonly done?: string
  readonly problem?: string
}

/** Changes the clock or the failures as the form says. Its field `action` is `clock`, `faults` or `end-faults`. */
export async function applyControls(
  controls: Controls,
  form: ReadonlyMap<string, string>,
): Promise<Result> {
  switch (form.get('action')) {
    case 'clock':
      return moveClock(controls, form.get('to')?.trim() ?? '')
    case 'faults':
      return replaceFaults(controls, form.get('plan') ?? '')
    case 'end-faults':
      controls.setFaults(undefined)
      return {done: 'The service simulates no failures.'}
    default:
      return {problem: 'The form has an unknown action.'}
  }
}

async function moveClock({clock, settle}: Controls, text: string): Promise<Result> {
  const to = targetTime(text, clock.now())
  if (to === undefined) {
    return {problem: `Invalid time “${text}”: enter an offset such as +16m, a time, or “real”.`}
  }
  try {
    clock.moveTo(to)
  } catch (error) {
    if (error instanceof ClockError) return {problem: error.message}
    throw error
  }
  await settle()
  return {done: `Moved the clock to ${new Date(clock.now()).toISOString()}.`}
}

function replaceFaults({setFaults}: Controls, text: string): Result {
  try {
    setFaults(readFaultPlan(text))
    return {done: 'Replaced the simulated failures.'}
  } catch (error) {
    if (error instanceof FaultPlanError) return {problem: error.message}
    throw error
  }
}

/** Returns the page with the forms, and the result of the submitted one. */
export function controlsPage(
  controls: Controls,
  formToken: string,
  {done, problem}: Result = {},
  form: ReadonlyMap<string, string> = new Map(),
): ServiceResponse {
  const plan = controls.faults()
  const isRefused = problem !== undefined
  return inspectPage({
    title: 'Clock and failures',
    current: CONTROLS_PATH,
    status: isRefused ? 400 : 200,
    body: html`<div class="narrow">
      ${isRefused && html`<p class="bad" role="alert">${problem}</p>`}
      ${done !== undefined && html`<p class="good" role="status">${done}</p>`}
      <h2>Clock</h2>
      <p>
        The service’s clock shows ${timeHtml(new Date(controls.clock.now()).toISOString(), true)}.
      </p>
      ${controlForm(
        formToken,
        html`<label for="to">Move it forward to</label>
          <input
            id="to"
            name="to"
            required
            value="${isRefused ? form.get('to') : undefined}"
            placeholder="+16m, 2027-03-01T12:00:00Z or real"
            autocapitalize="none"
            spellcheck="false"
          />
          <p class="soft">
            Codes, tokens, channels and upload sessions that end before the new time expire, and due
            notifications are sent.
          </p>
          <div class="buttons">
            <button class="main" name="action" value="clock">Move clock</button>
          </div>`,
      )}
      <h2>Simulated failures</h2>
      <p>${plan ? countOfRules(plan) : 'The service simulates no failures.'}</p>
      ${controlForm(
        formToken,
        html`<label for="plan">Fault rules (JSON)</label>
          <textarea id="plan" name="plan" rows="10" required spellcheck="false">
${isRefused && form.has('plan') ? form.get('plan') : plan ? faultPlanText(plan) : EXAMPLE}</textarea>
          <p class="soft">
            The same format as <code>--faults</code>: <code>drv local serve --help-all</code>.
          </p>
          <div class="buttons">
            <button class="main" name="action" value="faults">Replace failures</button>
          </div>`,
      )}
      ${
        plan &&
        controlForm(
          formToken,
          html`<button class="danger" name="action" value="end-faults">End all failures</button>`,
        )
      }
    </div>`,
  })
}

function countOfRules({rules}: FaultPlan): string {
  return `${rules.length} ${rules.length === 1 ? 'rule is' : 'rules are'} in effect.`
}

const EXAMPLE = JSON.stringify(
  {seed: 1, rules: [{operations: 'files.get', fault: 'status', status: 503, first: 2}]},
  undefined,
  2,
)

function controlForm(formToken: string, body: Html): Html {
  return html`<form method="post" action="${CONTROLS_PATH}">${tokenField(formToken)} ${body}</form>`
}
