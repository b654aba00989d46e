import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  type Dashboard,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** A panel of a dashboard, which answers one question. */
export interface Panel {
  title: string;
  /** What the panel means, and what to do when it is not well. */
  says: string;
  /** The unit by Grafana's name: s, reqps, short, percentunit, bytes. */
  unit: string;
  /** PromQL expressions by the legend of their series. */
  shows: Readonly<Record<string, string>>;
  /** The value from which a single number is bad. Without it, the panel shows a line over time. */
  badFrom?: number;
}

/** What a dashboard of Grafana shows: rows of panels that belong together, by their titles. */
export interface DashboardPlan {
  uid: string;
  title: string;
  rows: Readonly<Record<string, readonly Panel[]>>;
}

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const SPANS = { stat: 24 / 5, line: 12 };

export function dashboardOf({ uid, title, rows }: DashboardPlan): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .tags(['company-data-service'])
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .withVariable(new DatasourceVariableBuilder('datasource').type('prometheus'))
    .withVariable(variableOf('namespace'))
    .withVariable(variableOf('app'));
  for (const [row, panels] of Object.entries(rows)) {
    builder.withRow(new RowBuilder(row));
    for (const panel of panels) builder.withPanel(panelOf(panel));
  }
  return builder.build();
}

const variableOf = (label: string): QueryVariableBuilder =>
  new QueryVariableBuilder(label)
    .datasource(SOURCE)
    .query(`label_values(codase_ready, ${label})`)
    .includeAll(true)
    .multi(true)
    .allValue('.*');

function panelOf({ title, says, unit, shows, badFrom }: Panel): StatBuilder | TimeseriesBuilder {
  const panel = badFrom === undefined ? new TimeseriesBuilder().min(0).span(SPANS.line) : statOf(badFrom);
  panel.title(title).description(says).unit(unit).datasource(SOURCE).height(8);
  for (const [legend, expression] of Object.entries(shows)) {
    const query = new DataqueryBuilder().expr(expression).legendFormat(legend).datasource(SOURCE);
    panel.withTarget(hasBuckets(expression) ? query.exemplar(true) : query);
  }
  return panel;
}

/** Whether the expression reads buckets, which have exemplars: dots that lead from a measured time to its trace. */
const hasBuckets = (expression: string): boolean => expression.includes('_bucket');

const statOf = (badFrom: number): StatBuilder =>
  new StatBuilder().span(Math.floor(SPANS.stat)).thresholds({
    build: () => ({
      mode: 'absolute' as never,
      steps: [
        { value: null as never, color: 'green' },
        { value: badFrom, color: 'red' },
      ],
    }),
  });
